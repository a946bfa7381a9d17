console.log('effect')
exports.value = Math.floor(1.5)
