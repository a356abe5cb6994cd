import 'reflect-metadata';
import { Test } from '@nestjs/testing';
import * as relprim from 'relprim';
import * as testing from 'relprim/nestjs/testing';
import { expectedStory, story } from './testing.cjs';

test('an application is tested on a fake clock', async () => {
  expect(await story({ Test, relprim, testing })).toEqual(expectedStory);
});
