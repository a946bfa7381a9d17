import { process } from '../process/process.ts'

export default process

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
