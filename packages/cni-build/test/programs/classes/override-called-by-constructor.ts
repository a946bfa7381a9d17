class Base {
  log: string[] = []
  constructor() { this.init() }
  init() { this.log.push('base') }
}
class Derived extends Base {
  extra = 'field'
  declare later: string
  override init() {
    super.init()
    this.log.push(`derived ${this.extra}`)
  }
}
const made = new Derived()
console.log(made.log.join(), made.extra, Object.keys(made).join())
