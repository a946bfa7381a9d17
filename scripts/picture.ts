// npm run picture: draws the output of the demo as docs/plots/demo.svg for the README. Needs root, like the demo.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec, node26, root } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop, step } from './lib/progress.ts'
import { terminalPicture } from './lib/terminal-picture.ts'

await main(async () => {
  await buildExecutables(['istio-cni'])
  await step('docs/plots/demo.svg', async () => {
    const demo = ['--conditions=@cni/source', 'examples/istio-redirect/demo/main.ts']
    const said = await exec([node26, ...demo], { quiet: true })
    const parts = said.split(/\n(?=\d+\. )/).filter((part) => /^[2356]\. /.test(part))
    if (parts.length !== 4) throw new Stop('the demo has other parts than before: choose those that are shown anew')
    const text = ['$ npm run demo', '  …', ...parts.map((part) => part.trimEnd())].join('\n\n')
    writeFileSync(
      join(root, 'docs/plots/demo.svg'),
      terminalPicture(text, { title: 'npm run demo, what it says', columns: 136 }),
    )
  })
})
