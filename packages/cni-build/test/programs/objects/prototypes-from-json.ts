const o: any = Object.fromEntries(JSON.parse('[[["__proto__"], {"isAdmin": true}], ["__proto__", {"x": 1}]]'))
console.log(Object.keys(o).join(), o.isAdmin, Object.getPrototypeOf(o) === Object.prototype)
const parsed = JSON.parse('{"__proto__": {"admin": 1}, "constructor": 2}')
console.log(Object.keys(parsed).join(), parsed.admin, Object.keys({ ...parsed }).join(), Object.getPrototypeOf({ ...parsed }) === Object.prototype)
const __proto__ = { inherited: 1 }
console.log(Object.hasOwn({ __proto__ }, '__proto__'), (({ __proto__: __proto__ }) as { inherited?: unknown }).inherited, Object.hasOwn({ ['__proto__']: 1 }, '__proto__'))
console.log(Object.fromEntries(new Map([['a', 1]])).a, JSON.stringify(Object.fromEntries(new URLSearchParams('q=1&q=2'))))
