const own = { forEach: (f: (x: string) => void) => [f('own'), 'a result'] }
const log = (...values: unknown[]) => console.log(values.map(String).join())
console.log(own.forEach(log))
new Map([['a', 1]]).forEach((value, key, map) => console.log(value, key, map instanceof Map))
new Set(['b']).forEach(log)
new URLSearchParams('c=3').forEach((value, key) => console.log(value, key))
new Uint8Array([4]).forEach((value) => console.log(value))
Array.prototype.forEach.call('de', (letter) => console.log(letter))
