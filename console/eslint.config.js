import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const MARKUP = "Recorded text is hostile: it is shown as a text node only.";

export default defineConfig(
  globalIgnores(["node_modules", "src/api/schema.d.ts", "scripts", "eslint.config.js"]),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"] ?? hooks.configs.flat.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/only-throw-error": ["error", { allow: ["Redirect", "NotFoundError"] }],
      // The virtualizer returns functions; nothing here is memoised by a compiler.
      "react-hooks/incompatible-library": "off",
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: MARKUP },
        {
          selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]",
          message: MARKUP,
        },
        { selector: "CallExpression[callee.property.name='insertAdjacentHTML']", message: MARKUP },
      ],
      "no-restricted-globals": [
        "error",
        { name: "fetch", message: "Only src/api/ and the workers of bodies speak to the server." },
        { name: "EventSource", message: "Only src/api/ speaks to the server." },
      ],
    },
  },
  {
    files: ["src/api/**"],
    rules: { "@typescript-eslint/consistent-type-assertions": "off", "no-restricted-globals": "off" },
  },
  {
    files: ["src/components/body/worker.ts"],
    rules: { "no-restricted-globals": "off" },
  },
  {
    // One feature does not know another; what two need moves to components/ or lib/.
    files: ["src/features/**"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [{ regex: "^\\.\\./(?!\\.\\./)", message: "A feature does not import another feature." }],
        },
      ],
    },
  },
);
