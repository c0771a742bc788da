/**
 * Access to DynamoDB tables behind one port: items are plain Java maps, the SDK's types stay
 * inside.
 */
package io.indexview.dynamodb;
