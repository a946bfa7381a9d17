const order: string[] = []
const resource = (name: string) => ({ name, [Symbol.dispose]: () => void order.push(`dispose ${name}`) })
const later = (name: string) => ({ [Symbol.asyncDispose]: async () => void order.push(`async ${name}`) })
const main = async () => {
  {
    using a = resource('a')
    using b = resource('b')
    order.push(`body ${a.name}${b.name}`)
  }
  try {
    await using c = later('c')
    using d = { [Symbol.dispose]() { throw new Error('in dispose') } }
    void [c, d]
    throw new Error('in body')
  } catch (error) {
    order.push((error as Error).name, String((error as SuppressedError).error?.message), String((error as SuppressedError).suppressed?.message))
  }
  console.log(order.join(';'))
}
main()
