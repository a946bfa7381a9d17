import { Readable } from 'node:stream'

const seen: number[] = []
const take = async (x: number) => {
  await new Promise((resolve) => setTimeout(resolve, 2))
  seen.push(x)
}
const main = async () => {
  const result = Readable.from([1, 2, 3]).forEach(take)
  console.log(result instanceof Promise, seen.length)
  console.log(await result, seen.join())
}
main()
