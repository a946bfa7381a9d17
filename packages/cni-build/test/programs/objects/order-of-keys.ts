const o: Record<string, number> = { b: 1, 2: 1, a: 1, 1: 1, [-1]: 1 }
o['01'] = 1
delete o.b
o.b = 2
console.log(Object.keys(o).join(), JSON.stringify(o), Object.entries(o).length)
for (const key in Object.create(o, { own: { value: 1, enumerable: true }, hidden: { value: 1 } })) console.log(key)
const frozen = Object.freeze({ list: [1] })
console.log(Object.isFrozen(frozen), frozen.list.push(2), JSON.stringify(structuredClone(new Map([[1, { a: new Date(0) }]])).get(1)))
