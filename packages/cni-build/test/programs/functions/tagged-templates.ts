const seen: TemplateStringsArray[] = []
const tag = (strings: TemplateStringsArray, ...values: unknown[]) => (seen.push(strings), `${strings.raw.join('|')}#${values.join()}`)
const call = (n: number) => tag`a${n}\n${n + 1}`
console.log(call(1), call(2), seen[0] === seen[1], Object.isFrozen(seen[0]), String.raw`\u0041${1}`)
const order: string[] = []
const say = (what: string) => ({ toString: () => (order.push(what), what) })
console.log(`${say('a')}-${say('b')}` + say('c'), order.join())
