import { spawnSync } from 'node:child_process'
import { Stop, step } from '../progress.ts'
import { FAILED } from '../vm/exit-codes.ts'
import type { Arm64Executable } from './executables-arm64.ts'

const QEMU = 'qemu-aarch64-static'
const TIMEOUT_MS = 60_000

/** Runs arm64 plugins in qemu's user-mode emulation, which does not support nfnetlink. */
export async function withoutKernel(executables: readonly Arm64Executable[]): Promise<void> {
  for (const { name, path } of executables) {
    const run = (env: Record<string, string>, args: readonly string[], input: object = {}) =>
      spawnSync(QEMU, [path, ...args], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', CNI_PATH: '/opt/cni/bin', ...env },
        input: JSON.stringify(input),
        encoding: 'utf8',
        timeout: TIMEOUT_MS,
      })
    const conf = { cniVersion: '1.1.0', name: 'pods', type: name, port: 15001 }
    const cases = [
      { what: 'VERSION', run: () => run({ CNI_COMMAND: 'VERSION' }, [], conf), says: '"supportedVersions":["0.1.0"' },
      { what: '--help', run: () => run({}, ['--help']), says: `${name}\nCNI protocol versions supported: 0.1.0` },
      { what: 'STATUS', run: () => run({ CNI_COMMAND: 'STATUS' }, [], conf), says: '' },
    ]
    for (const each of cases) {
      await step(`${name}: ${each.what} by ${QEMU}`, () => {
        const { status, signal, error, stdout, stderr } = each.run()
        if (status === 0 && (each.says === '' ? stdout === '' : stdout.includes(each.says))) return
        const how = error?.message ?? `exit code ${status ?? signal}`
        throw new Stop(`${name}, ${each.what}: ${how}\n${stdout}${stderr}`, FAILED)
      })
    }
  }
}
