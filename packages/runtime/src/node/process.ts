import { process } from '../process/process.ts'

export default process

/** Creates a proxy for `process.env` or `process.argv`, because each start of the program creates new objects. */
function current<T extends object>(shape: T, member: () => object): T {
  return new Proxy(shape, {
    get: (_, name) => Reflect.get(member(), name),
    set: (_, name, value) => Reflect.set(member(), name, value),
    has: (_, name) => Reflect.has(member(), name),
    deleteProperty: (_, name) => Reflect.deleteProperty(member(), name),
    ownKeys: () => Reflect.ownKeys(member()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(member(), name),
  })
}

const noVariables: Record<string, string | undefined> = {}
const noArguments: string[] = []

export const env = /* @__PURE__ */ current(noVariables, () => process.env)
export const argv = /* @__PURE__ */ current(noArguments, () => process.argv)

export const { arch, platform, version, versions, hrtime, memoryUsage, uptime } = process
export const on = process.on.bind(process)
export const once = process.once.bind(process)
export const off = process.off.bind(process)
export const emit = process.emit.bind(process)
export const exit = process.exit.bind(process)
export const kill = process.kill.bind(process)
export const cwd = process.cwd.bind(process)
export const chdir = process.chdir.bind(process)
export const umask = process.umask.bind(process)
export const getuid = process.getuid.bind(process)
export const geteuid = process.geteuid.bind(process)
export const getgid = process.getgid.bind(process)
export const getegid = process.getegid.bind(process)
export const nextTick = process.nextTick.bind(process)
export const emitWarning = process.emitWarning.bind(process)
export const getBuiltinModule = process.getBuiltinModule.bind(process)
