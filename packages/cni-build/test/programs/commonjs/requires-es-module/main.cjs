const esm = require('./esm.mjs')
console.log(esm.named, esm.default, Object.keys(esm).filter((key) => key !== '__esModule').sort().join())
try { const name = ['not', 'installed', process.pid].join('-'); require(name) } catch (error) { console.log(typeof error.code) }
try { require('not-installed-package') } catch (error) { console.log(error.code) }
