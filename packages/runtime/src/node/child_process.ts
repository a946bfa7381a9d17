import { ChildProcess, type SpawnOptions } from '../child/child-process.ts'
import { collect, type ExecCallback, type ExecOptions } from '../child/collect.ts'
import { invalidType } from '../errors.ts'
import { customPromisify } from '../inspect/promisify.ts'

export { ChildProcess }

const SHELL = '/bin/sh'

export function spawn(file: string, given?: readonly string[] | SpawnOptions, more?: SpawnOptions): ChildProcess {
  if (typeof file !== 'string') throw invalidType('file', 'of type string', file)
  const args = isList(given) ? given : []
  const options = (isList(given) ? more : given) ?? {}
  if (options.shell === undefined || options.shell === false) return new ChildProcess(file, args.map(String), options)
  const shell = options.shell === true ? SHELL : options.shell
  return new ChildProcess(shell, ['-c', [file, ...args].join(' ')], options)
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value)

/** Overloads of Node's `execFile`: `execFile(file, args?, options?, callback?)`. */
export function execFile(file: string, ...rest: readonly unknown[]): ChildProcess {
  const args = rest.find(isList) ?? []
  const callback = rest.find((one): one is ExecCallback => typeof one === 'function')
  const options = rest.find((one): one is ExecOptions => typeof one === 'object' && one !== null && !isList(one)) ?? {}
  return collect(spawn(file, args, { ...options, stdio: 'pipe' }), [file, ...args].join(' '), options, callback)
}

/** Overloads of Node's `exec`: `exec(command, options?, callback?)`. */
export function exec(command: string, ...rest: readonly unknown[]): ChildProcess {
  const options = rest.find((one): one is ExecOptions => typeof one === 'object' && one !== null) ?? {}
  const callback = rest.find((one): one is ExecCallback => typeof one === 'function')
  const child = spawn(typeof options.shell === 'string' ? options.shell : SHELL, ['-c', command], {
    ...options,
    shell: false,
  })
  return collect(child, command, options, callback)
}

function promised(start: (...args: readonly unknown[]) => ChildProcess) {
  return (...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const callback: ExecCallback = (error, stdout, stderr) => {
        if (error) reject(Object.assign(error, { stdout, stderr }))
        else resolve({ stdout, stderr })
      }
      start(...args, callback)
    })
}

customPromisify(
  execFile,
  promised((...args) => execFile(String(args[0]), ...args.slice(1))),
)
customPromisify(
  exec,
  promised((...args) => exec(String(args[0]), ...args.slice(1))),
)

export default { ChildProcess, spawn, execFile, exec }
