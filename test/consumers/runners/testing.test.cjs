require('reflect-metadata');
const { Test } = require('@nestjs/testing');
const relprim = require('relprim');
const testing = require('relprim/nestjs/testing');
const { expectedStory, story } = require('./testing.cjs');

test('an application is tested on a fake clock', async () => {
  expect(await story({ Test, relprim, testing })).toEqual(expectedStory);
});
