import { readFileSync } from "node:fs";
import { marked } from "marked";
import { defineConfig, type Plugin } from "vite";

/** docs/web.md as a page beside the app, so that its links lead somewhere without a network. */
function documentation(): Plugin {
  const source = new URL("../docs/web.md", import.meta.url);
  return {
    name: "documentation",
    generateBundle() {
      const text = readFileSync(source, "utf-8").replace(/^!\[.*\n?/gm, "");
      const slug = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
      const body = (marked.parse(text, { async: false }) as string).replace(
        /<h([23])>(.*?)<\/h\1>/g,
        (_, level, title) => `<h${level} id="${slug(title)}">${title}</h${level}>`,
      );
      const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>honte: the page explained</title>
<style>body{max-width:42rem;margin:2rem auto;padding:0 1rem;line-height:1.6;
font-family:Charter,"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif}
code{font-size:.9em}table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{border-bottom:1px solid #8886;padding:.3rem .7rem;text-align:left}
a{color:LinkText}</style></head><body><p><a href="./">honte</a></p>${body}</body></html>
`;
      this.emitFile({ type: "asset", fileName: "docs.html", source: page });
    },
  };
}

export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [documentation()],
  build: {
    outDir: "../src/honte/web/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      // Plain names: the built page is in the repository, and the server sends no-cache and ETags.
      output: {
        entryFileNames: "assets/page.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/page[extname]",
      },
    },
  },
  server: { proxy: { "/socket": { target: "ws://127.0.0.1:8000", ws: true } } },
});
