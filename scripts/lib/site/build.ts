import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { writePlayground } from '../../../playground/build.ts'
import { exec, root } from '../exec.ts'
import { writeReference } from '../reference.ts'
import { drawCharts } from './charts.ts'
import { llmsText } from './llms.ts'
import { pageText, sitePages } from './pages.ts'

const source = join(root, 'dist/site-source')
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(source, path)), { recursive: true })
  writeFileSync(join(source, path), text)
}

/** Output folder of the documentation site. Any web server can serve it. */
export const site = join(root, 'dist/docs')

/** Builds the documentation site: guide, READMEs of packages and examples, API reference. Fails for dead links. */
export async function buildSite() {
  rmSync(source, { recursive: true, force: true })
  const repository = repositoryUrl()
  const modules = await writeReference(join(source, 'api'))
  const pages = sitePages()
  for (const page of pages) {
    const { text, charts } = drawCharts(page.route, pageText(page, pages, `${repository}/blob/main`))
    put(`${page.route}.md`, text)
    for (const { path, svg } of charts) put(`public/${path}`, svg)
  }
  cpSync(join(root, 'docs/plots'), join(source, 'public/plots'), { recursive: true })
  put('index.md', home)
  put('public/llms.txt', llmsText(pages, modules))
  const given = [pages, modules, repository].map((each) => JSON.stringify(each)).join(', ')
  put(
    '.vitepress/config.mjs',
    `import { siteConfig } from ${JSON.stringify(join(import.meta.dirname, 'config.ts'))}\nexport default siteConfig(${given})\n`,
  )
  put('package.json', '{ "type": "module" }\n')
  rmSync(site, { recursive: true, force: true })
  await exec(['vitepress', 'build', source, '--outDir', site], { quiet: true })
  await writePlayground(join(site, 'playground.html'))
  const count = pages.length + modules.length + 2
  return { note: `${count} pages, ${relative(root, site)}/index.html` }
}

const repositoryUrl = () => {
  const { url }: { url: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository
  return url.replace(/^git\+|\.git$/g, '')
}

const home = `---
layout: home
hero:
  name: cni-ts
  text: CNI plugins in TypeScript
  tagline: Typed, tested without root, shipped as one file that needs no Node.js on the node.
  actions:
    - { theme: brand, text: Write a plugin, link: /guide/write-a-plugin }
    - { theme: alt, text: The guide, link: /guide/ }
    - { theme: alt, text: istio-redirect, link: /guide/istio-redirect }
    - { theme: alt, text: Playground, link: /playground.html, target: _self }
features:
  - title: The protocol, done
    details: ADD, CHECK, DEL, GC, STATUS and VERSION of CNI 0.1.0 to 1.1.0, one document on stdout whatever happens.
    link: /guide/write-a-plugin
  - title: Rules as data
    details: iptables and nftables that do not compile when they make no sense; applied, verified and traced without a program.
    link: /guide/rules-and-tracing
  - title: Nothing is half done
    details: What fails is undone. CHECK checks, DEL cleans, errors name the culprit and say what to do.
    link: /guide/state
  - title: One executable file
    details: For nodes without Node.js, and faster per pod than the Go plugin it stands in for.
    link: /guide/performance
  - title: A suite for any plugin
    details: cni-conformance finds what breaks the protocol, in whatever language the plugin was written.
    link: /guide/run-and-debug-a-chain
  - title: A complete reference
    details: Istio's CNI plugin and agent, drop-in, with repair, ambient mode and rule tracing.
    link: /guide/istio-redirect
---
`
