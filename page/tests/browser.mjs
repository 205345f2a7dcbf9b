// Tries the pages that tests/page_browser.sh wrote into a folder: `CHROMIUM=/usr/bin/chromium node browser.mjs FOLDER`.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const folder = process.argv[2];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu"],
});

// A page that must not complain nor load anything.
async function open(name, viewport = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport });
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("request", (request) => request.url().endsWith(`/${name}`) || troubles.push(request.url()));
  await page.goto(`file://${folder}/${name}`);
  return { page, done: async () => (assert.deepEqual(troubles, []), page.close()) };
}

const count = (page) => page.locator("#count").textContent();
const panel = (page) => page.locator("#now").textContent();
async function press(page, key, times = 1) {
  for (let i = 0; i < times; ++i) await page.keyboard.press(key);
}

async function tryCounterexample() {
  const { page, done } = await open("stuck.html");
  assert.equal(await count(page), "0 / 3");
  await press(page, "ArrowDown");
  assert.equal(await count(page), "1 / 3");
  assert.match(await panel(page), /request 0.*Request 0 → 1/s);
  assert.equal(await page.locator(".site.changed").count(), 1);
  assert.equal(await page.locator(".site.changed .chip").textContent(), "waiting");
  await press(page, "ArrowUp");
  assert.equal(await count(page), "0 / 3");
  assert.equal(await page.locator(".site.changed").count(), 0);
  await press(page, "v");
  assert.equal(await count(page), "3 / 3");
  assert.match(await panel(page), /violates deadlock: site 0 waits/);
  await press(page, "Home");
  await page.click("#jump");
  assert.equal(await count(page), "3 / 3");
  await done();
}

async function pointAtMessage(page) {
  // The line is thin: point at its middle.
  const box = await page.locator("[data-message] .arrow").first().evaluate((arrow) => {
    const middle = arrow.getPointAtLength(arrow.getTotalLength() / 2);
    const point = new DOMPoint(middle.x, middle.y).matrixTransform(arrow.getScreenCTM());
    return { x: point.x, y: point.y };
  });
  await page.mouse.move(box.x, box.y);
}

async function tryScenario() {
  const { page, done } = await open("scenario.html");
  await pointAtMessage(page);
  assert.ok(await page.locator("#tip").isVisible());
  assert.match(await page.locator("#tip").textContent(), /Request \d → \d/);
  await press(page, "Escape");
  assert.ok(!(await page.locator("#tip").isVisible()));
  const labels = await page.locator("#picture .label").count();
  await page.click('[data-fold="1"]');
  assert.ok((await page.locator("#picture .label").count()) < labels);
  await press(page, "u");
  assert.equal(await page.locator("#picture .label").count(), labels);
  await done();
}

async function tryFollowing() {
  const { page, done } = await open("short.html", { width: 390, height: 780 });
  const resource = await page.locator("#resource option").nth(1).textContent();
  await page.selectOption("#resource", resource);
  await page.waitForFunction(() => document.querySelector("#picture .dim") !== null);
  await page.locator("#scroller").focus();
  await press(page, "ArrowDown", 3);
  assert.equal(await page.locator("#picture .label.dim").count() > 0, true);
  // The page is as wide as the phone, and no wider.
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await done();
}

// Drawing takes a few milliseconds wherever one is, and there are only as many elements as rows can be seen.
async function tryLongRun() {
  const { page, done } = await open("long.html");
  assert.match(await count(page), /^0 \/ (19,9\d\d|20,000)$/);
  const { times, most } = await page.evaluate(async () => {
    const scroller = document.getElementById("scroller");
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const times = [];
    let most = 0;
    for (let i = 0; i < 60; ++i) {
      scroller.scrollTop = (scroller.scrollHeight * i) / 60;
      await frame();
      const picture = document.getElementById("picture");
      most = Math.max(most, picture.querySelectorAll("*").length);
      const begin = performance.now();
      window.dispatchEvent(new Event("resize")); // draws at once
      times.push(performance.now() - begin);
    }
    return { times: times.sort((a, b) => a - b), most };
  });
  console.log(`20,000 steps: median ${times[30].toFixed(1)} ms to draw, at most ${most} elements`);
  assert.ok(times[30] < 16, `drawing takes ${times[30]} ms`);
  assert.ok(most < 3000, `${most} elements`);
  const lengths = await page.evaluate(async () => {
    const scroller = document.getElementById("scroller");
    const lengths = [scroller.scrollHeight];
    for (let i = 0; i < 4; ++i) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      lengths.push(scroller.scrollHeight);
    }
    return lengths;
  });
  assert.deepEqual(new Set(lengths).size, 1, `the page grows: ${lengths}`);
  await press(page, "End");
  assert.match(await count(page), /^(19,9\d\d|20,000) \/ /);
  await done();
}

async function tryGraph() {
  const { page, done } = await open("graph.html");
  const nodes = await page.locator("[data-node]").count();
  assert.match(await page.locator("#title").textContent(), new RegExp(`^${nodes.toLocaleString("en")} worlds`));
  await press(page, "v");
  assert.match(await panel(page), /violates deadlock: site 0 waits/);
  assert.ok((await page.locator(".edge.way").count()) > 0);
  await press(page, "Home");
  await page.locator("#now .list button").first().click();
  assert.match(await panel(page), /1 step from the start/);
  await done();
}

// As chromium sets them, no labels meet and none is cut.
async function tryPicture(name) {
  const { page, done } = await open(name);
  const wrong = await page.evaluate(() => {
    const texts = [...document.querySelectorAll("text")].map((text) => ({
      name: text.textContent,
      box: text.getBBox(),
    }));
    const view = document.documentElement.viewBox.baseVal;
    const cut = texts.filter(({ box }) => box.x < 0 || box.x + box.width > view.width || box.y + box.height > view.height);
    const met = texts.filter(({ box: a }, i) =>
      texts.some(
        ({ box: b }, j) =>
          j < i &&
          a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 &&
          // The boxes of lines of text have the font's full height; letters are in its middle.
          a.y + a.height * 0.2 < b.y + b.height * 0.8 && b.y + b.height * 0.2 < a.y + a.height * 0.8,
      ),
    );
    return { some: texts.length, wrong: [...cut, ...met].map((one) => one.name) };
  });
  assert.ok(wrong.some > 10);
  assert.deepEqual(wrong.wrong, [], name);
  await done();
}

try {
  await tryCounterexample();
  await tryScenario();
  await tryFollowing();
  await tryLongRun();
  await tryGraph();
  await tryPicture("down.svg");
  await tryPicture("right.svg");
} finally {
  await browser.close();
}
