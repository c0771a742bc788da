/** The pages of docs/config, written from the definitions that they describe; for all modules. */
package io.indexview.schemas.docs;
