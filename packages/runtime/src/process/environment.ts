import { host } from '../host.ts'

/** Reads the environment variables of the current process. As in Node, assigned values become strings. */
export function readEnvironment(): Record<string, string | undefined> {
  return new Proxy(host.env(), {
    set(target, name, value) {
      return Reflect.set(target, name, typeof name === 'symbol' ? value : `${value}`)
    },
  })
}
