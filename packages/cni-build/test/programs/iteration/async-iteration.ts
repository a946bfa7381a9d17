async function* numbers() {
  for (let n = 0; n < 3; n++) yield Promise.resolve(n)
}
const main = async () => {
  for await (const n of numbers()) console.log(n)
  for await (const n of [Promise.resolve('a'), 'b']) console.log(n)
  const iterator = numbers()
  console.log(JSON.stringify(await Promise.all([iterator.next(), iterator.return(undefined), iterator.next()])))
}
main()
