import { get, set } from './one.ts'
import { get as getTwo } from './two.ts'
const state = 'main'
const process = 'shadowed'
const require = 'shadowed'
const exports = 'shadowed'
const __name = 'shadowed'
const __toESM = 'shadowed'
set('changed')
console.log(state, get(), getTwo(), process, require, exports, __name, __toESM)
export { state }
