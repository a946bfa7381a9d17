import { createHash } from 'node:crypto'

/** Creates a generator of random numbers that gives equal results on the small runtime and on Node. */
function makeRandom(): (below: number) => number {
  let state = 12_345
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

const LETTERS = ['a', 'é', '€', '😀', '\ud800', '\udc00', '"', '\\', '\n', '\0', '\u2028', '/', '\x7f', '__proto__']
// The keys have no escapes, because V8 of Node 26 confuses keys with escapes.
const KEYS = ['a', 'é', '€', '😀', '/', '\x7f', '__proto__', ' ', '1']
const NUMBERS = [
  0,
  -0,
  1,
  -1,
  1.5,
  1e21,
  1e-7,
  123_456_789_012_345_680,
  5e-324,
  1.797_693_134_862_315_7e308,
  0.1,
  2 ** 53,
  -(2 ** 31),
]

function document(random: (below: number) => number, depth: number): unknown {
  const word = (letters: readonly string[]): string =>
    Array.from({ length: random(5) }, () => letters[random(letters.length)]).join('')
  switch (random(depth > 4 ? 5 : 8)) {
    case 0:
      return null
    case 1:
      return random(2) === 0
    case 2:
      return NUMBERS[random(NUMBERS.length)]
    case 3:
      return (random(1_000_000) - 500_000) / 10 ** random(9)
    case 4:
      return word(LETTERS)
    case 5:
      return Array.from({ length: random(5) }, () => document(random, depth + 1))
    default:
      return Object.fromEntries(Array.from({ length: random(5) }, () => [word(KEYS), document(random, depth + 1)]))
  }
}

/** Main function of a test program that parses and formats random JSON documents. */
export default function main(): void {
  const random = makeRandom()
  for (let block = 0; block < 100; block++) {
    const hash = createHash('sha256')
    for (let count = 0; count < 100; count++) {
      const value = document(random, 0)
      const text = JSON.stringify(value)
      const again = JSON.stringify(JSON.parse(text))
      hash
        .update(text)
        .update(again)
        .update(JSON.stringify(value, null, 2))
      hash.update(JSON.stringify(JSON.parse(` ${again.replaceAll('é', '\\u00e9')}\n`)))
    }
    process.stdout.write(`${block} ${hash.digest('hex')}\n`)
  }
}
