const order: string[] = []
const logged = (value: any, context: { kind: string; name: string | symbol }) => {
  order.push(`${context.kind} ${String(context.name)}`)
  return context.kind === 'method' ? function (this: unknown, ...args: unknown[]) { return `logged ${value.apply(this, args)}` } : undefined
}
class Service {
  @logged run(n: number) { return n + 1 }
  @logged field = 1
  @logged static make() { return new this() }
}
console.log(new Service().run(1), order.join(), Service.name, new Service().run.name)
