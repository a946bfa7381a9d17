import count, { add, value, value as alias } from './counter.ts'
import * as counter from './counter.ts'
console.log(value, alias, counter.value, count)
add()
console.log(value, alias, counter.value, count, Object.keys(counter).join())
const space: object = counter
try { Object.assign(space, { value: 9 }) } catch (error) { console.log((error as Error).name) }
