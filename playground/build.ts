import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, transform } from 'esbuild'

const source = (name: string) => join(import.meta.dirname, 'src', name)

/** Builds one HTML file, because the content security policy forbids other sources. */
export async function playgroundHtml(): Promise<string> {
  const [script, style] = await Promise.all([scriptText(), styleText()])
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'worker-src blob:',
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const parts = new Map([
    ['content="POLICY"', `content="${policy}"`],
    ['<!-- STYLE -->', `<style>${style}</style>`],
    ['<!-- SCRIPT -->', `<script>${script}</script>`],
  ])
  return readFileSync(source('page.html'), 'utf8').replaceAll(
    /content="POLICY"|<!-- (?:STYLE|SCRIPT) -->/g,
    (place) => parts.get(place) ?? place,
  )
}

/** Writes the playground page to a file. */
export async function writePlayground(path: string): Promise<string> {
  const html = await playgroundHtml()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, html)
  return html
}

/** Bundles the script of the page. The web worker runs the same script. */
async function scriptText(): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [source('main.ts')], bundle: true, write: false, minify: true, format: 'iife', charset: 'utf8' },
    ...{ platform: 'browser', target: 'es2022', conditions: ['@cni/source'], legalComments: 'none' },
    // Silences a build warning: `import.meta.url` is empty in a browser script, but only unused code reads it.
    logOverride: { 'empty-import-meta': 'silent' },
    plugins: [
      {
        // Lets the bundler drop the imports of Node.js modules, because only unused code of the page imports them.
        name: 'without-node',
        setup({ onResolve }) {
          onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }))
        },
      },
    ],
  })
  const text = outputFiles
    .map((file) => file.text)
    .join('')
    .trim()
  const used = /(?:require|import)\(?\s*["'](node:[\w/]+)["']/.exec(text)
  if (used !== null) throw new Error(`the playground uses ${used[1]}, which no browser has`)
  // Escapes the script's text, so that the HTML parser does not end the script element too early.
  return text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')
}

async function styleText(): Promise<string> {
  const { code } = await transform(readFileSync(source('style.css'), 'utf8'), { loader: 'css', minify: true })
  return code.trim()
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

if (process.argv[1] === import.meta.filename) {
  const path = process.argv[2] ?? join(import.meta.dirname, 'dist/playground.html')
  const { length } = await writePlayground(path)
  process.stdout.write(`${path}: ${length} characters\n`)
}
