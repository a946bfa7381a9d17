enum Level { Debug, Info = 5, Next }
const enum Size { Small = 'S', Big = `${Size.Small}XL` }
namespace Tools { export const twice = (n: number) => n * 2; export class Inner {} }
class Point { constructor(public x = 1, protected readonly y = 2) {} sum() { return this.x + this.y } }
console.log(Level.Info, Level[6], Object.keys(Level).join(), Size.Big, Tools.twice(2), Tools.Inner.name, new Point(3).sum(), Object.keys(new Point()).join())
abstract class Abstract { abstract name(): string; declare n: number }
class Real extends Abstract { name() { return 'n' in this ? 'has n' : 'has no n' } }
console.log(new Real().name(), [1, 2] satisfies number[], (<number>1)!)
