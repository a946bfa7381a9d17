import type * as Fs from 'node:fs'
import { FileStat } from './file-stat.ts'
import { type Kernel, openKernel } from './kernel.ts'
import { LEFT, type Quick, quickMembers } from './members.ts'

/**
 * `node:fs` for an executable with bun: what the call of a plugin needs of it is done by system calls, because the module
 * takes 0.8 ms to load. Whatever is not the ordinary case, or fails, is done by the module after all, from the beginning:
 * results and errors are its own. Only the errors that every call gets are made here: nothing there, nothing to read yet.
 *
 * @returns what knows all members of the module, each found when it is first asked for
 */
export function quickFiles(load: () => typeof Fs, open: () => Kernel | undefined = openKernel): object {
  const members = new Map<string | symbol, unknown>()
  let kernel: Kernel | undefined
  let quick: Readonly<Record<string, Quick>> | undefined
  const memberOf = (name: string | symbol): unknown => {
    if (quick === undefined) {
      kernel = open()
      quick = kernel === undefined ? {} : quickMembers(kernel)
    }
    if (name === 'constants' && kernel !== undefined) return kernel.constants
    const own = typeof name === 'string' && Object.hasOwn(quick, name) ? quick[name] : undefined
    if (own === undefined) return genuine(load(), name)
    const call = orElse(own, () => Reflect.get(load(), name))
    return name === 'realpathSync' ? withNative(call, load) : call
  }
  const get = (_: object, name: string | symbol, receiver: object): unknown => {
    if (!members.has(name)) members.set(name, memberOf(name))
    const value = members.get(name)
    // What has this one as its prototype does not ask again.
    if (receiver !== proxy) Object.defineProperty(receiver, name, { value })
    return value
  }
  const proxy: object = new Proxy({}, { get })
  return proxy
}

// internal

/** Does what the quick one leaves by the other. None is quick with more than three arguments. */
function orElse(quick: Quick, find: () => (...args: readonly unknown[]) => unknown): Quick {
  return (a, b, c, ...others) => {
    const result = others.length === 0 ? quick(a, b, c) : LEFT
    return result === LEFT ? find()(a, b, c, ...others) : result
  }
}

/** The one function that has another as its member. */
const withNative = (call: Quick, load: () => typeof Fs): Quick =>
  Object.defineProperty(call, 'native', { get: () => load().realpathSync.native })

function genuine(fs: typeof Fs, name: string | symbol): unknown {
  // What was looked at before is a `Stats`, too.
  if (name === 'Stats') Object.setPrototypeOf(FileStat.prototype, fs.Stats.prototype)
  return Reflect.get(fs, name)
}
