// npm run prose [-- FILE...]: prints texts that break a rule of plain English (CONTRIBUTING.md).
import { relative, resolve } from 'node:path'
import { root } from './lib/exec.ts'
import { parsed } from './lib/options.ts'
import { main } from './lib/progress.ts'
import { percent, shareOfFindings, textsOf } from './lib/prose/prose.ts'

await main(async () => {
  const { positionals } = parsed({ allowPositionals: true, options: {} })
  const texts = textsOf(positionals.length > 0 ? positionals.map((file) => relative(root, resolve(file))) : undefined)
  for (const { where, findings } of texts) {
    for (const finding of findings) process.stdout.write(`${where}: ${finding}\n`)
  }
  for (const { kind, texts: all, broken, share } of shareOfFindings(texts)) {
    process.stdout.write(`${kind}: ${broken} of ${all} break a rule (${percent(share)})\n`)
  }
})
