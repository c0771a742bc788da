/** Reads views that DynamoDB serves. */
package io.indexview.client.read.dynamodb;
