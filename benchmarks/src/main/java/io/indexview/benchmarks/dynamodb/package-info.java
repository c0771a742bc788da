/** The DynamoDB sink against bare puts, on DynamoDB Local. */
package io.indexview.benchmarks.dynamodb;
