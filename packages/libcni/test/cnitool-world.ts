import { fakeExec } from '@cni/invoke/testing'
import { afterEach, beforeEach } from 'vitest'
import { runCnitool } from '../src/cnitool/run-cnitool.ts'
import { type TempDir, tempDir } from './temp-dir.ts'

/** Result that the fake plugin `a` returns in the network `pods`. */
export const result = { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], vendor: { kept: true } }

interface CnitoolOptions {
  readonly env?: object
  readonly plugins?: Parameters<typeof fakeExec>[0]
  readonly colour?: boolean
}

/** Gives each test the network `pods` and a cnitool that runs two fake plugins. */
export function cnitoolWorld() {
  let temp: TempDir
  beforeEach(() => {
    temp = tempDir()
    temp.write('net.d/10.conflist', { cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'a' }, { type: 'b' }] })
  })
  afterEach(() => temp[Symbol.dispose]())
  return {
    get temp() {
      return temp
    },
    async cnitool(argv: string[], more: CnitoolOptions = {}) {
      const exec = fakeExec(more.plugins ?? { a: { ADD: result }, b: {} })
      const printed = { stdout: '', stderr: '' }
      const exitCode = await runCnitool([...argv, '--cache-dir', `${temp.dir}/cache`], {
        env: { NETCONFPATH: `${temp.dir}/net.d`, ...more.env },
        cwd: '/work/dir',
        stdout: (text) => {
          printed.stdout += text
        },
        stderr: (text) => {
          printed.stderr += text
        },
        colour: more.colour,
        exec,
      })
      const log = exec.calls.map(({ command, type }) => `${command} ${type}`)
      return { exitCode, ...printed, calls: exec.calls, log }
    },
  }
}
