let value = 'at first'
export default value
value = 'changed'
