import { readFileSync } from 'node:fs'
console.log(JSON.stringify(readFileSync(0, 'utf8')), process.stdin.isTTY, process.stdout.isTTY)
console.error('to stderr')
console.log('%s is %d and %j', 'text', 42, { a: 1 }, [1, { b: { c: { d: 1 } } }], new Map([[1, new Set(['x'])]]))
class Shown { a = 1; #hidden = 2 }
console.log(new Shown(), [undefined, null, -0], Symbol('s'), (a: number) => a, Shown)
