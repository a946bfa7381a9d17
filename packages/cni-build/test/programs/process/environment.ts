import { env } from 'node:process'
const name = 'NODE_ENV'
console.log(process.env.NODE_ENV, process.env[name], env.NODE_ENV, process.env['NODE_ENV'], typeof process.env.BUN_ENV, process.env.OF_THE_TEST)
console.log(process.env.NODE_ENV === 'production' ? 'production' : 'other', 'NODE_ENV' in process.env, Object.keys(process.env).sort().join())
process.env.NODE_ENV = 'set'
console.log(process.env.NODE_ENV)
delete process.env.NODE_ENV
console.log(process.env.NODE_ENV, 'NODE_ENV' in process.env)
