const list = [1, 2, 3, 4]
const seen: number[] = []
list.forEach((value) => {
  seen.push(value)
  if (value === 1) list.pop()
  if (value === 2) list.push(9)
})
console.log(seen.join(), list.join())
console.log([1, 2, 3].flatMap((value) => (value === 2 ? [] : [value, [value]])).length)
const holes = [, 1]
console.log(Object.keys(holes).join(), holes.findLast((value) => value === undefined), holes.every((value) => value === 1))
