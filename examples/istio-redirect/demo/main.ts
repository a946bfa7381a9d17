import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runNodeLevelStory } from './ambient/node-level-story.ts'
import { runAmbientStory } from './ambient/story.ts'
import { cleanKept, KEPT_FOLDER, keep } from './keep.ts'
import { type DemoOptions, HELP, parseOptions } from './options.ts'
import { runStory } from './story.ts'

const FOLDER = 'CNI_DEMO_FOLDER'

/** Runs the demo in a second process, whose namespaces act as a throw-away node. */
async function main(argv: readonly string[]): Promise<number> {
  const options = parseOptions(argv)
  if (options.help) {
    console.log(HELP)
    return 0
  }
  const folder = process.env[FOLDER]
  if (folder) return storyOf(options)({ ...options, folder })
  await cleanKept()
  if (options.clean) {
    console.log('Nothing of a demo is left on this machine.')
    return 0
  }
  return insideNode(argv, options.keep && options.ambient === undefined)
}

function storyOf({ ambient }: DemoOptions) {
  if (ambient === undefined) return runStory
  if (ambient === 'inpod') return runAmbientStory
  return (options: DemoOptions & { readonly folder: string }) => runNodeLevelStory(options, ambient)
}

/** Starts this program in new namespaces. The kernel removes the namespaces with the program, even after a kill. */
async function insideNode(argv: readonly string[], keeping: boolean): Promise<number> {
  const folder = keeping ? KEPT_FOLDER : mkdtempSync(join(tmpdir(), 'cni-demo-'))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const self = [process.execPath, ...process.execArgv, process.argv[1] ?? '', ...argv]
  const child = spawn('unshare', ['--net', '--mount', '--propagation', 'private', '--', ...self], {
    env: { ...process.env, [FOLDER]: folder },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.on('message', (message) => {
    if (message === 'keep' && child.pid) keep(child.pid)
    child.send('kept')
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  await once(child, 'exit')
  if (!keeping || child.exitCode !== 0) rmSync(folder, { recursive: true, force: true })
  return child.exitCode ?? 1
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const usage = error instanceof TypeError && 'code' in error
  console.error(usage ? `demo: ${error.message}\n\n${HELP}` : error)
  process.exitCode = usage ? 2 : 1
}
