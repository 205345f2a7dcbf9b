import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "build", "node_modules"] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  { files: ["**/*.mjs"], languageOptions: { globals: { process: "readonly", console: "readonly" } } },
  {
    // Parts of it run in the page.
    files: ["tests/browser.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        ["document", "window", "performance", "requestAnimationFrame", "DOMPoint", "Event"].map((name) => [name, "readonly"]),
      ),
    },
  },
);
