const list = [3, , 1]
console.log(JSON.stringify(list.map((...all) => [all[0], all[1], all[2] === list, all.length])))
console.log(list.some((_, index) => index === 1), list.find((value) => value === undefined), list.findIndex((value) => value === undefined))
console.log(list.reduce((sum, value) => sum + value), list.filter(() => true).length, 1 in list.map((value) => value))
const that = { factor: 2 }
console.log([1, 2].map(function (this: typeof that, value) { return value * this.factor }, that).join())
try { [].reduce((a) => a) } catch (error) { console.log(error instanceof TypeError) }
