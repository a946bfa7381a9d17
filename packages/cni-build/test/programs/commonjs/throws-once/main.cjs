const tried = () => { try { return require('./broken.cjs') } catch (error) { return error.message } }
console.log(tried(), tried())
