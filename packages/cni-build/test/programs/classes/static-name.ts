class Method { static name() { return 'own' } }
class Field { static name = 'field' }
class Getter { static get name() { return 'getter' } }
const anonymous = [class {}, () => 1, function () {}]
const { a = class {} } = {} as { a?: new () => object }
console.log((Method as unknown as { name(): string }).name(), Field.name, Getter.name, anonymous.map((f) => `"${f.name}"`).join(), a.name)
console.log(Object.getOwnPropertyNames(Method).join(), Object.getOwnPropertyNames(class { static b = 1 }).join())
