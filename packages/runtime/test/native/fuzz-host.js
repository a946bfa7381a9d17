// Calls the functions of the host object with valid and invalid values. Invalid values must throw TypeError.
const host = globalThis.__host
let state = 12345
const draw = (below) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return (state >>> 8) % below
}
const detached = () => {
  const view = new Uint8Array(8)
  host.detach(view.buffer)
  return view
}
const growing = () => {
  const list = ['a', 'b', 'c']
  Object.defineProperty(list, 1, {
    get() {
      list.length = 0
      return 'x'.repeat(draw(100))
    },
  })
  return list
}
const values = [
  () => undefined,
  () => null,
  () => draw(2) === 0,
  () => draw(1000) - 500,
  () => draw(1 << 30) / 7,
  () => [Number.NaN, Infinity, -Infinity, -0, 2 ** 31, 2 ** 53, 2 ** 63, 2 ** 64, -(2 ** 63), 1e308][draw(10)],
  () => [0n, -1n, 2n ** 63n, 2n ** 64n, 2n ** 200n, -(2n ** 200n)][draw(6)],
  () => 'text'.repeat(draw(5)),
  () => 'a\0b',
  () => '\ud800',
  () => 'x\udc00\ud83d\ude00\ud83d',
  () => 'é'.repeat(draw(40)) + 'rope'.repeat(draw(4000)),
  () => `${'a'.repeat(draw(9000))}${'\ud800'.repeat(draw(9000))}`,
  () => new Uint8Array(draw(64)),
  () => new Uint8Array([0xed, 0xa0, 0x80, 0xf0, 0x9f, 0x98, draw(256), draw(256)]).subarray(draw(9)),
  () => new Float64Array(draw(9)),
  () => new DataView(new ArrayBuffer(16), draw(17)),
  () => new ArrayBuffer(draw(20)),
  () => new SharedArrayBuffer(draw(20)),
  detached,
  growing,
  () => [],
  () => ['one', 'two'],
  () => [1, 2],
  () => [0, 1, 2],
  () => ({ length: 3 }),
  () => ({ valueOf: () => 5, toString: () => 'five' }),
  () => Symbol('s'),
  () => () => 1,
  () => new Proxy([], {}),
]
const some = () => values[draw(values.length)]()
// Unused system call numbers: arguments are converted, and the call has no effect.
const numbers = [4000, -1, 99999, 123456n, 4001.0]
const calls = {
  syscall: () => [numbers[draw(numbers.length)], ...Array.from({ length: draw(8) }, some)],
  address: () => [some()],
  encode: () => [some()],
  encodeInto: () => [some(), some()],
  decode: () => [some(), some(), some(), some()],
  find: () => [some(), some(), some()],
  spawn: () =>
    ['/nowhere/nothing', some(), some(), some(), some()].map((value, i) => (i === 0 && draw(3) === 0 ? some() : value)),
  setDeadline: () => [draw(3) === 0 ? some() : 0, -1],
  onReject: () => [draw(4) === 0 ? () => {} : some()],
  args: () => [some()],
  env: () => [some()],
  now: () => [],
  snapshotting: () => [],
}
const names = Object.keys(calls)
let thrown = 0
for (let i = 0; i < 40000; i++) {
  const name = names[draw(names.length)]
  const given = calls[name]()
  // A short deadline would end this loop.
  if (name === 'setDeadline' && typeof given[0] === 'number' && given[0] > 0) given[0] = 1e9
  try {
    host[name](...given)
  } catch (error) {
    thrown++
    if (!(error instanceof TypeError)) throw error
  }
}
host.setDeadline(0, -1)
if (thrown < 1000) throw new Error(`only ${thrown} calls were refused`)
// Calls without arguments.
for (const name of names) {
  try {
    host[name]()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}
