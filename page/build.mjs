// Builds the pages into one file each, without anything to load: `node build.mjs FOLDER`. The same sources give
// the same bytes. `node build.mjs --tests FOLDER` builds the unit tests instead.
import { build } from "esbuild";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
// One page for each entry: src/NAME/main.ts, page.css and page.html become NAME.html.
const pages = ["viewer", "graph"];

async function bundled(path) {
  const result = await build({
    entryPoints: [join(here, path)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    legalComments: "none",
    target: ["chrome100", "firefox100", "safari15.4"],
  });
  return result.outputFiles[0].text.trim();
}

async function page(name) {
  const html = await readFile(join(here, `src/${name}/page.html`), "utf8");
  const style = await bundled(`src/${name}/page.css`);
  const script = await bundled(`src/${name}/main.ts`);
  if (script.includes("</script")) throw new Error("a script must not contain </script");
  return html.replace("/*style*/", () => style).replace("/*script*/", () => script);
}

async function buildTests(folder) {
  const names = (await readdir(join(here, "tests"))).filter((name) => name.endsWith(".test.ts"));
  await build({
    entryPoints: names.map((name) => join(here, "tests", name)),
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    outdir: folder,
  });
}

const words = process.argv.slice(2);
if (words[0] === "--tests") {
  await buildTests(words[1]);
} else {
  await mkdir(words[0], { recursive: true });
  for (const name of pages) await writeFile(join(words[0], `${name}.html`), await page(name));
}
