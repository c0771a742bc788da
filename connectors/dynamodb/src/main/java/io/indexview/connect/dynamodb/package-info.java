/** Sink connector that serves views from DynamoDB tables. */
package io.indexview.connect.dynamodb;
