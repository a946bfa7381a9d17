class Counter {
  #n = 0
  static #made = 0
  static isCounter(x: object) { return #n in x }
  constructor() { Counter.#made++ }
  get #next() { return ++this.#n }
  step() { return this.#next }
  static made() { return Counter.#made }
}
const counter = new Counter()
counter.step()
console.log(counter.step(), Counter.isCounter(counter), Counter.isCounter({}), Counter.made(), Object.keys(counter).length)
try { Counter.prototype.step.call({} as Counter) } catch (error) { console.log((error as Error).name) }
