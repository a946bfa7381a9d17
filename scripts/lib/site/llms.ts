import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../exec.ts'
import type { ApiModule } from './config.ts'
import type { Group, Page } from './pages.ts'

/** Text of the file `llms.txt` for language models (llmstxt.org), with a line per page. */
export function llmsText(pages: readonly Page[], modules: readonly ApiModule[]): string {
  const list = (group: Group) =>
    pages
      .filter((page) => page.group === group)
      .map(({ title, route, source }) => `- [${title}](/${route}.html): ${firstSentence(source)}`)
      .join('\n')
  return `# cni-ts

> Write chained CNI plugins in TypeScript: typed, tested without root, shipped as one file that needs no Node.js on the node. With a complete Istio CNI as its reference plugin.

## Guide

${list('guide')}

## Packages

${list('packages')}

## API reference

${modules.map(({ name, route }) => `- [${name}](/${route}.html)`).join('\n')}

## Optional

${list('examples')}
${list('project')}
`
}

function firstSentence(source: string) {
  const text = readFileSync(join(root, source), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  const paragraph = text.split(/\n\n+/).find((each) => /^[A-Z`*[]/.test(each)) ?? ''
  const plain = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain
}
