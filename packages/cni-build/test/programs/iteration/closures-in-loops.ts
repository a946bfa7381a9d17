const made: (() => number)[] = []
for (let i = 0; i < 3; i++) {
  made.push(() => i)
  if (i === 1) i++
}
for (const key in { a: 1, b: 2 }) made.push(() => key.charCodeAt(0))
var old: (() => number)[] = []
for (var v = 0; v < 2; v++) old.push(() => v)
console.log(made.map((f) => f()).join(), old.map((f) => f()).join())
