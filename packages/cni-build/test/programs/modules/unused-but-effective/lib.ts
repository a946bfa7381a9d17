const order = [] as string[]
export const used = order.push('used')
export const notUsed = (() => { console.log('evaluated'); return order.push('not used') })()
class Registered { static { console.log('registered', this.name) } }
