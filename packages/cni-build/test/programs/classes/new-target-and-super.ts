abstract class Shape {
  constructor() { if (new.target === Shape) throw new TypeError('abstract') }
  area() { return 0 }
  describe() { return `${new.target === undefined} ${this.area()}` }
}
class Square extends Shape {
  override area() { return super.area() + 4 }
  static override toString() { return `[${super.name} ${this.name}]` }
}
console.log(new Square().describe(), String(Square))
try { Reflect.construct(Shape, [], Shape) } catch (error) { console.log(String(error)) }
const parent = { greet() { return 'parent' } }
const child = { __proto__: parent, greet() { return `${super.greet()} child` } }
console.log(child.greet(), (Reflect.construct(Object, [], Square) as object) instanceof Square)
try { (Square as unknown as () => void)() } catch (error) { console.log((error as Error).name) }
