import plain, { a } from './plain.cjs'
import * as all from './plain.cjs'
import marked from './marked.cjs'
import fn from './function.cjs'
console.log(plain.a, a, all.default === plain, all.a, typeof fn, fn(), (fn as { extra?: unknown }).extra)
console.log(JSON.stringify(marked), typeof (marked as { default?: unknown }).default)
