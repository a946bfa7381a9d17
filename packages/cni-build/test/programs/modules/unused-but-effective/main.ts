import { used } from './lib.ts'
import type { Unused } from './types.ts'
const unused = { get effect() { return console.log('getter') } }
unused.effect
void used
const proxied = new Proxy({}, { get: (_, key) => console.log('read', String(key)) })
;(proxied as Record<string, unknown>).something
new (class { constructor() { console.log('constructed') } })()
const none: Unused | undefined = undefined
console.log(none)
