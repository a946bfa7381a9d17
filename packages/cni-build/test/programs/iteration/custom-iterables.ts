const steps: string[] = []
const iterable = {
  [Symbol.iterator]() {
    let n = 0
    return {
      next: () => (steps.push(`next ${n}`), { value: n++, done: n > 4 }),
      return: () => (steps.push('return'), { value: undefined, done: true }),
    }
  },
}
for (const value of iterable) if (value === 1) break
const [first, ...rest] = iterable
console.log(first, rest.join(), Math.max(...iterable), steps.join(';'))
try { for (const _ of iterable) throw new Error('in a loop') } catch (error) { console.log(String(error), steps.at(-1)) }
