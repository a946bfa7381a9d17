import data from './data.json' with { type: 'json' }
import again from './data.json' with { type: 'json' }
console.log(JSON.stringify(data), data === again, Object.keys(data).join(), Object.getPrototypeOf(data) === Object.prototype)
